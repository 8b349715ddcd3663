/** A recall as a whole: index and files as they are written, the real matcher, the printed text. */
import { beforeAll, describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import { createMatcher } from '../../src/when/match/matcher.js';
import { printRecall } from '../../src/when/print.js';
import { parseRequests } from '../../src/when/requests.js';
import { createResolver, type Resolver } from '../../src/when/resolve.js';

const INDEX = `# Memory Index

## agents/decisions/testing.md

/when writing mock tests | Mock patching pattern | patch where used, not defined
/when organizing test files | Test module split strategy | one test file for each module

## agents/decisions/deployment.md

/when rolling back releases | Rollback order | database last, feature flags first
/when rotating signing keys | Key rotation | overlap of two keys for a week
/when naming release branches | Branch names | release, slash, version without v
`;

const TESTING = `# Testing

## .Mock Patching

### Mock Patching Pattern

Patch the name in the module that uses it.

\`\`\`python
# not where it is defined
monkeypatch.setattr("app.views.send", fake)
\`\`\`

### Test Module Split Strategy

One test file for each module.
`;

const DEPLOYMENT = `# Deployment

## Rollback order

Turn the feature flags off first, then the services, the database last.

## Key rotation

Two keys are valid for a week.

## Branch names

\`release/1.4\`, never \`release/v1.4\`.
`;

let resolver: Resolver;

beforeAll(async () => {
  const library = buildLibrary(parseIndex(INDEX), [
    parseDecisionFile('testing.md', TESTING),
    parseDecisionFile('deployment.md', DEPLOYMENT),
  ]);
  const matcher = createMatcher(builtInModel());
  await matcher.load(library);
  resolver = createResolver({ library: () => library, rank: matcher.rank });
});

async function recall(text: string): Promise<string> {
  return printRecall(await resolver.resolve(parseRequests(text)));
}

describe('a recall', () => {
  it('of a trigger is the section and what leads on', async () => {
    expect(await recall('/when writing mock tests')).toBe(`# Mock Patching Pattern

Patch the name in the module that uses it.

\`\`\`python
# not where it is defined
monkeypatch.setattr("app.views.send", fake)
\`\`\`

---

Related:
- /when organizing test files     # Test Module Split Strategy (sibling)
- /when § .Mock Patching          # Full parent section
- /when § testing.md              # Full testing.md file`);
  });

  it('of a batch lists what leads on once', async () => {
    expect(await recall('/when\\n- rotating signing keys\\n- § .Mock Patching')).toBe(
      `# Key rotation

Two keys are valid for a week.

# .Mock Patching

### Mock Patching Pattern

Patch the name in the module that uses it.

\`\`\`python
# not where it is defined
monkeypatch.setattr("app.views.send", fake)
\`\`\`

### Test Module Split Strategy

One test file for each module.

---

Related:
- /when rolling back releases     # Rollback order (sibling)
- /when naming release branches   # Branch names (sibling)
- /when § deployment.md           # Full deployment.md file
- /when writing mock tests        # Mock Patching Pattern (child)
- /when organizing test files     # Test Module Split Strategy (child)
- /when § testing.md              # Full testing.md file`,
    );
  });

  it('of a file is its whole text and its entries', async () => {
    expect(await recall('§ deployment.md')).toBe(`# deployment.md

${DEPLOYMENT.trimEnd()}

---

Related:
- /when rolling back releases     # Rollback order (entry)
- /when rotating signing keys     # Key rotation (entry)
- /when naming release branches   # Branch names (entry)`);
  });

  it('of a paraphrase finds the section by content and says so', async () => {
    const [answer] = (await resolver.resolve(parseRequests('/when splitting test files'))).results;
    expect([answer?.found, answer?.matches[0]?.header]).toEqual([
      'hybrid',
      'Test Module Split Strategy',
    ]);
    expect(await recall('/when splitting test files')).toMatch(
      /^# Test Module Split Strategy\n\n\(closest to "splitting test files", confidence [01]\.\d\d\)\n\nOne/,
    );
  });

  it.each([
    'writing mock tests',
    'rotating keys',
    'watering tomato plants',
    '§ .Nothing',
    '§ testing.md',
  ])('of %s ranks five sections, best first', async (query) => {
    const [answer] = (await resolver.resolve(parseRequests(query))).results;
    const confidences = answer?.matches.map(({ confidence }) => confidence) ?? [];
    expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
    expect(new Set(answer?.matches.map(({ header }) => header)).size).toBe(5);
  });

  it('of something unknown gives nothing but the nearest triggers', async () => {
    const [answer] = (await resolver.resolve(parseRequests('/when watering tomato plants')))
      .results;
    expect([answer?.found, answer?.confidence, answer?.related]).toEqual(['none', 0, []]);
    expect(answer?.suggestions).toEqual(['/when writing mock tests']);
  });
});
