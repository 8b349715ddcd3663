import { describe, expect, it } from 'vitest';
import { authorize, checkAgent } from '../../../src/surfaces/rest/guard.js';

function verdict(headers: Record<string, string>, apiKey?: string): string {
  try {
    authorize({ headers }, apiKey);
    return 'answered';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('without a key', () => {
  it.each([
    ['localhost:3000', undefined, 'answered'],
    ['LOCALHOST', undefined, 'answered'],
    ['cue.localhost:3000', undefined, 'answered'],
    ['127.0.0.1:3000', undefined, 'answered'],
    ['192.168.1.7:3000', undefined, 'answered'],
    ['[::1]:3000', undefined, 'answered'],
    ['localhost:3000', 'http://localhost:3000', 'answered'],
    ['[::1]:3000', 'http://[::1]:3000', 'answered'],
    ['localhost:3000', 'http://localhost:4000', 'PERMISSION_DENIED'],
    ['localhost:3000', 'https://evil.example', 'PERMISSION_DENIED'],
    ['localhost:3000', 'null', 'PERMISSION_DENIED'],
    ['localhost:3000', '', 'PERMISSION_DENIED'],
    ['evil.example', undefined, 'PERMISSION_DENIED'],
    ['evil.example:3000', 'http://evil.example:3000', 'PERMISSION_DENIED'],
    ['localhost.evil.example', undefined, 'PERMISSION_DENIED'],
    ['127.0.0.1.nip.example', undefined, 'PERMISSION_DENIED'],
    ['127.0.0.1@evil.example', undefined, 'PERMISSION_DENIED'],
    ['', undefined, 'PERMISSION_DENIED'],
  ])('Host %j with Origin %j is %s', (host, origin, expected) => {
    expect(verdict({ host, ...(origin === undefined ? {} : { origin }) })).toBe(expected);
  });
});

describe('with a key', () => {
  it.each([
    [{ 'x-api-key': 'secret' }, 'answered'],
    [{ 'x-api-key': 'secret', host: 'evil.example', origin: 'https://evil.example' }, 'answered'],
    [{ 'x-api-key': 'secret ' }, 'UNAUTHENTICATED'],
    [{ 'x-api-key': 'Secret' }, 'UNAUTHENTICATED'],
    [{ 'x-api-key': '' }, 'UNAUTHENTICATED'],
    [{ authorization: 'Bearer secret' }, 'UNAUTHENTICATED'],
    [{ host: 'localhost:3000' }, 'UNAUTHENTICATED'],
  ] as [Record<string, string>, string][])('%j is %s', (headers, expected) => {
    expect(verdict(headers, 'secret')).toBe(expected);
  });
});

describe('the agent that is meant', () => {
  const mine = 'aaaaaaaa-0000-4000-8000-000000000001';
  const other = 'bbbbbbbb-0000-4000-8000-000000000002';
  const code = (request: Parameters<typeof checkAgent>[0]) => {
    try {
      checkAgent(request, mine);
      return 'answered';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  it('is this one, when named in query or path', () => {
    expect(code({ query: {}, url: '/cue/triggers' })).toBe('answered');
    expect(code({ query: { agentId: mine.toUpperCase() } })).toBe('answered');
    expect(code({ query: {}, url: `/api/agents/${mine}/plugins/cue/triggers` })).toBe('answered');
  });
  it('is not another one', () => {
    expect(code({ query: { agentId: other } })).toBe('NOT_FOUND');
    expect(code({ query: { agentId: [mine, other] } })).toBe('NOT_FOUND');
    expect(code({ query: { agentId: '' } })).toBe('NOT_FOUND');
    expect(code({ query: {}, url: `/api/agents/${other}/plugins/cue/triggers` })).toBe('NOT_FOUND');
    expect(code({ query: {}, url: `/agents/${other}/plugins/cue/triggers` })).toBe('NOT_FOUND');
  });
});
