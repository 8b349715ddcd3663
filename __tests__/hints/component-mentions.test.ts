/** Components that a text names. */
import { describe, expect, it } from 'vitest';
import { componentMentions } from '../../src/hints/component-mentions.js';

describe('a component in a text', () => {
  const known = ['http-proxy', 'auth', 'paymentGateway', 'the', 'c'];

  it.each([
    ['restart the HTTP proxy', ['http-proxy'], ['http', 'proxy'], true],
    ['HttpProxy fails', ['http-proxy'], ['httpproxy'], true],
    ['the payment_gateway', ['paymentGateway'], ['payment', 'gateway'], true],
    ['AuthService fails', ['auth'], ['authservice'], false],
    ['AuthService fails, auth too', ['auth'], ['auth'], true],
  ])('%j names %j by %j; in whole words: %s', (text, names, words, isWhole) => {
    const found = componentMentions(text, known);
    expect(found.map(({ name }) => name)).toEqual(names);
    expect(found[0]?.said).toMatchObject({ words, isWhole });
  });

  it.each([
    ['see services/Http_Proxy/src/main.go', [], 'services/Http_Proxy'],
    ['see it', ['services\\http-proxy\\main.go'], 'services/http-proxy'],
  ])('%j with %j is about the folder %s', (text, files, folder) => {
    expect(componentMentions(text, known, files)).toEqual([
      { name: 'http-proxy', said: null, folder },
    ]);
  });

  it.each(['the letter', 'authentication', 'src/auth.ts', 'the proxy of http', ''])(
    '%j names none',
    (text) => {
      expect(componentMentions(text, known)).toEqual([]);
    },
  );
});
