/** Names of components and keys, as people say them. */
import { describe, expect, it } from 'vitest';
import {
  componentNamed,
  componentsIn,
  keyFit,
  termsIn,
} from '../../../src/surfaces/eliza/hint-find.js';
import { askedPlace } from '../../../src/surfaces/eliza/hint-turn.js';

describe('a component that is told of', () => {
  const known = ['http-proxy', 'auth', 'paymentGateway'];
  it.each([
    ['the HTTP proxy', 'http-proxy'],
    ['httpProxy', 'http-proxy'],
    ['auth service', 'auth'],
    ['payment gateway', 'paymentGateway'],
    ['the web app', 'web'],
    ['billing core', 'billing-core'],
    ['packages/api', 'packages/api'],
  ])('%j is %j', (said, name) => {
    expect(componentNamed(said, known)).toBe(name);
  });
});

describe('the components that a message is about', () => {
  const known = ['http-proxy', 'auth', 'auth-service', 'api', 'the', 'c'];
  it.each([
    ['how do I build the http proxy?', ['http-proxy']],
    ['HttpProxy fails', ['http-proxy']],
    ['http_proxy fails', ['http-proxy']],
    ["the api's port", ['api']],
    ['the auth service is down', ['auth-service']],
    ['auth is down, and so is the auth service', ['auth', 'auth-service']],
    ['api and http-proxy', ['api', 'http-proxy']],
    ['see services/http-proxy/main.go', ['http-proxy']],
    ['see services\\http_proxy\\main.go', ['http-proxy']],
    ['see src/auth.ts', []],
    ['authentication, rapid apis', []],
    ['the proxy of http', []],
    ['thanks', []],
  ])('%j: %j', (text, names) => {
    expect(componentsIn(text, known).map(({ name }) => name)).toEqual(names);
  });
});

describe('what is asked for', () => {
  it.each([
    ['how do I build http-proxy?', ['http', 'proxy'], ['build']],
    ['hint http-proxy build', ['http', 'proxy'], ['build']],
    ['list all hints of api please', ['api'], []],
    ['how do I test the test runner', ['test', 'runner'], ['test']],
  ])('%j beside %j', (text, component, terms) => {
    expect(termsIn(text, component)).toEqual(terms);
  });

  it.each([
    ['build', [], 'how do I build it', 3],
    ['build', [], 'built after pulling', 2],
    ['env.FEATURE_X', [], 'what is FEATURE_X', 0],
    ['env.FEATURE_X', [], 'what is env.FEATURE_X', 3],
    ['start', ['launch'], 'how is it launched', 1],
    ['build', ['docker'], 'deploy', 0],
  ])('key %s with tags %j, asked %j: %s', (key, tags, text, fit) => {
    expect(keyFit({ key, tags }, termsIn(text))).toBe(fit);
  });
});

describe('the place that a question names', () => {
  const own = askedPlace('').context.os;
  it.each([
    ['how do I test api on windows?', { os: 'windows' }],
    ['how do I test api on a Mac', { os: 'darwin' }],
    ['how do I test api on branch dev?', { branch: 'dev' }],
    ['build of api on the hotfix/42 branch', { branch: 'hotfix/42' }],
    ['build of api in repo github.com/org/api', { repo: 'github.com/org/api' }],
    ['build of api in /srv/api.', { cwd: '/srv/api' }],
    ['build of api when CI is set', { env: { CI: '' } }],
    ['build of api when STAGE=prod', { env: { STAGE: 'prod' } }],
    ['how do I build api?', {}],
  ])('%j: %j', (text, place) => {
    const asked = askedPlace(text);
    expect(asked.context).toEqual({ os: own, ...place });
    expect(asked.isSaid).toBe(Object.keys(place).length > 0);
    expect(componentsIn(asked.text, ['api']).map(({ name }) => name)).toEqual(['api']);
  });
});
