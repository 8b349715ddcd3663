import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readArguments } from '../../eval/recall/arguments.js';
import {
  DIFFICULTIES,
  draftOf,
  goldenProject,
  joined,
  plainProject,
} from '../../eval/recall/dataset.js';
import { conversations, goldenFiles, loadFile, loadSet } from '../../eval/recall/load.js';
import { calibrationError, limited } from '../../eval/recall/measure.js';
import { tableOf } from '../../eval/recall/table.js';
import { readDraft } from '../../src/memory/draft.js';

const folder = mkdtempSync(join(tmpdir(), 'cue-eval-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the golden set', () => {
  const files = goldenFiles();
  const memories = files.flatMap((file) => file.memories);
  const questions = files.flatMap((file) => file.questions);

  it('has at least 300 memories in four projects and 150 questions in three difficulties', () => {
    expect(files.length).toBe(4);
    expect(memories.length).toBeGreaterThanOrEqual(300);
    expect(questions.length).toBeGreaterThanOrEqual(150);
    for (const difficulty of DIFFICULTIES) {
      const some = questions.filter((question) => question.difficulty === difficulty);
      expect(some.length, difficulty).toBeGreaterThanOrEqual(30);
    }
  });

  it('names every memory once, in time order, and every question once', () => {
    expect(new Set(memories.map(({ id }) => id)).size).toBe(memories.length);
    expect(new Set(questions.map(({ question }) => question.toLowerCase())).size).toBe(
      questions.length,
    );
    for (const file of files) {
      const times = file.memories.map(({ at }) => Date.parse(at));
      expect(times, file.project).toEqual([...times].sort((a, b) => a - b));
    }
  });

  it('has evidence that exists in the same project', () => {
    for (const file of files) expect(() => goldenProject(file), file.project).not.toThrow();
    const [first] = files;
    const broken = {
      ...first!,
      questions: [{ question: 'where?', difficulty: 'easy' as const, evidence: ['nowhere'] }],
    };
    expect(() => goldenProject(broken)).toThrow(
      '"where?" has evidence nowhere, which is no document',
    );
  });

  it('holds memories that the store accepts, whose links name earlier ones', () => {
    for (const file of files) {
      const before = new Set<string>();
      for (const { id, memory } of file.memories) {
        const draft = readDraft(memory, { storeDiffs: false });
        for (const ref of Object.values(draft.links ?? {}).flat()) {
          expect(before, `${id} → ${ref}`).toContain(ref);
        }
        before.add(id);
      }
    }
  });

  it('tells of failures, links, files and preferences, not of successes alone', () => {
    const drafts = memories.map(({ memory }) => readDraft(memory, { storeDiffs: false }));
    expect(drafts.filter(({ outcome }) => !outcome.success).length).toBeGreaterThan(50);
    expect(drafts.filter(({ links }) => links !== undefined).length).toBeGreaterThan(80);
    expect(drafts.filter(({ actions }) => actions.length > 0).length).toBeGreaterThan(150);
    expect(drafts.filter(({ tags }) => tags.includes('preference')).length).toBeGreaterThan(10);
  });
});

describe('the conversations', () => {
  it('are at least four of 200 turns and 40 questions whose evidence exists', () => {
    const projects = conversations();
    expect(projects.length).toBeGreaterThanOrEqual(4);
    for (const { memories, questions } of projects) {
      expect(memories.length).toBeGreaterThanOrEqual(200);
      expect(questions.length).toBeGreaterThanOrEqual(40);
      expect(questions.some(({ relevant }) => relevant.size > 1)).toBe(true);
    }
  });
});

describe('reading sets', () => {
  it('takes a file of documents and questions, ids as text or numbers', () => {
    const path = join(folder, 'mine.json');
    const docs = [
      { id: 1, text: 'one' },
      { id: 'b', text: '  ' },
    ];
    writeFileSync(
      path,
      JSON.stringify([{ docs, questions: [{ question: 'which?', evidence: [1, 'b'] }] }]),
    );
    const { name, projects } = loadFile(path);
    expect(name).toBe('mine');
    expect(projects[0]?.memories.map(({ id, draft }) => [id, draft.intent])).toEqual([
      ['1', { goal: 'one' }],
      ['b', { goal: '(empty)' }],
    ]);
    expect([...(projects[0]?.questions[0]?.relevant ?? [])]).toEqual([
      ['1', 1],
      ['b', 1],
    ]);
  });

  it('says what is wrong with a file of another shape', () => {
    const path = join(folder, 'other.json');
    writeFileSync(path, JSON.stringify([{ docs: [], questions: [] }]));
    expect(() => loadFile(path)).toThrow(/other\.json is no set:[\s\S]*docs/);
  });

  it('refuses two documents of one id', () => {
    const docs = [
      { id: 'a', text: 'x' },
      { id: 'a', text: 'y' },
    ];
    expect(() => plainProject({ docs, questions: [] })).toThrow('two documents have the id a');
  });

  it('joins documents to long ones, which answer what their parts answered', () => {
    const docs = ['a', 'b', 'c'].map((id) => ({ id, text: `text ${id}` }));
    const questions = [{ question: 'which?', evidence: ['a', 'b', 'c'] }];
    const set = { name: 'letters', projects: [plainProject({ docs, questions })] };
    const { name, projects } = joined(set, 2);
    expect(name).toBe('letters joined by 2');
    expect(projects[0]?.memories.map(({ text }) => text)).toEqual(['text a\n\ntext b', 'text c']);
    expect([...(projects[0]?.questions[0]?.relevant.keys() ?? [])]).toEqual(
      projects[0]?.memories.map(({ id }) => id),
    );
  });

  it('puts what is too long for a goal into observations, and the store takes it', () => {
    const draft = readDraft(draftOf('字'.repeat(21_000)), { storeDiffs: false });
    expect(draft.intent.goal.length).toBe(8_000);
    const observed = draft.perception.observations.map(({ what }) => what);
    expect(observed.join('').length).toBe(13_000);
    expect(draft.outcome.summary).toBe('Succeeded');
  });

  it('says where it looked for a public set that is not there', () => {
    const said: string[] = [];
    const set = loadSet('cranfield', { dataDir: folder, say: (line) => said.push(line) });
    expect(set).toBeNull();
    expect(said).toEqual([
      `cranfield: skipped, there is no ${join(folder, 'cranfield.json')} (--data DIR or CUE_EVAL_DATA names another directory)`,
    ]);
  });

  it('leaves judged but irrelevant documents of Cranfield out of the evidence', () => {
    writeFileSync(
      join(folder, 'cranfield.json'),
      JSON.stringify({
        docs: [
          { id: '1', text: 'wing' },
          { id: '2', text: 'slipstream' },
        ],
        queries: [{ id: '7', text: 'wings?' }],
        qrels: [
          { q: '7', doc: '1', rel: 0 },
          { q: '7', doc: '2', rel: 3 },
        ],
      }),
    );
    const set = loadSet('cranfield', { dataDir: folder, say: () => {} });
    expect([...(set?.projects[0]?.questions[0]?.relevant ?? [])]).toEqual([['2', 1]]);
  });

  it('limits questions over all projects and drops projects without any', () => {
    const project = (texts: string[]) => ({
      memories: [],
      questions: texts.map((text) => ({ text, relevant: new Map() })),
    });
    const dataset = { name: 'x', projects: [project(['a', 'b']), project(['c']), project(['d'])] };
    const asked = limited(dataset, 3).projects.map(({ questions }) =>
      questions.map(({ text }) => text),
    );
    expect(asked).toEqual([['a', 'b'], ['c']]);
    expect(limited(dataset, undefined).projects.length).toBe(3);
  });
});

describe('the command line of the recall evaluation', () => {
  it('means every set and every part when nothing is named', () => {
    expect(readArguments([])).toEqual({
      sets: [
        'golden',
        'conversations',
        'locomo',
        'beam',
        'realtalk',
        'memaware',
        'cranfield',
        'cosqa',
      ],
      json: false,
      embedders: [],
      parts: true,
    });
  });

  it('reads a dataset, embedders and a limit, with = or without', () => {
    expect(
      readArguments([
        '--dataset=a.json',
        '--json',
        '--embedder',
        'x',
        '--embedder=y',
        '--limit',
        '9',
      ]),
    ).toEqual({
      dataset: 'a.json',
      sets: [],
      json: true,
      embedders: ['x', 'y'],
      parts: false,
      limit: 9,
    });
  });

  it('refuses what it does not know and says why', () => {
    expect(() => readArguments(['--nope'])).toThrow('unknown argument --nope');
    expect(() => readArguments(['--limit', '0'])).toThrow('--limit wants a whole number above 0');
    expect(() => readArguments(['--dataset'])).toThrow('--dataset wants a value');
    expect(() => readArguments(['golden', '--dataset', 'x'])).toThrow(
      'name sets or a --dataset, not both',
    );
  });
});

describe('the table of an evaluation', () => {
  it('shows the floor, the parts, the whole and the difficulties', () => {
    const scores = (value: number) => ({
      queries: 4,
      recall: { '1': value, '5': value, '10': value, '25': value, '50': 1 },
      mrr: value,
      ndcg10: value,
    });
    const text = tableOf({
      dataset: 'mine',
      bm25: scores(0.25),
      embedders: [
        {
          id: 'lexical-v1',
          ...scores(0.5),
          msPerQuery: { median: 3.21, p95: 7 },
          parts: { structural: scores(0), keyword: scores(0.4), vector: scores(0.3) },
          byDifficulty: { hard: scores(0.125) },
          floor: { recall5: 0.49, recall10: 0.48, unrelated: 8, silent: 6, calibrationError: 0.02 },
        },
      ],
    });
    expect(text.split('\n')).toEqual([
      '### mine: 4 questions',
      '',
      '| search | recall@1 | recall@5 | recall@10 | recall@25 | recall@50 | MRR | nDCG@10 | ms | p95 |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      '| plain BM25 | .250 | .250 | .250 | .250 | 1.000 | .250 | .250 |  |  |',
      '| structural (lexical-v1) | .000 | .000 | .000 | .000 | 1.000 | .000 | .000 |  |  |',
      '| keyword (lexical-v1) | .400 | .400 | .400 | .400 | 1.000 | .400 | .400 |  |  |',
      '| vector (lexical-v1) | .300 | .300 | .300 | .300 | 1.000 | .300 | .300 |  |  |',
      '| **recall (lexical-v1)** | .500 | .500 | .500 | .500 | 1.000 | .500 | .500 | 3.2 | 7.0 |',
      '| – 4 hard ones | .125 | .125 | .125 | .125 | 1.000 | .125 | .125 |  |  |',
      '',
      'With the floor (lexical-v1): recall@5 .490 instead of .500, recall@10 .480 instead of .500; 75 % of 8 unrelated questions are answered with nothing. Calibration error of confidence .020.',
    ]);
  });
});

describe('the calibration error', () => {
  const of = (confidence: number, rights: number, all: number) =>
    Array.from({ length: all }, (_, at) => ({ confidence, isRight: at < rights }));

  it('is how far confidence is from how often it is right, bin by bin', () => {
    expect(calibrationError([])).toBe(0);
    expect(calibrationError([...of(0.25, 1, 4), ...of(1, 4, 4)])).toBeCloseTo(0);
    expect(calibrationError([...of(0.75, 1, 4), ...of(0.05, 2, 4)])).toBeCloseTo(0.475);
  });
});
