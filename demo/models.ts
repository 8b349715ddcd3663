/** Which model answers: the provider whose key or address is configured, else the offline rules. */
import type { Plugin } from '@elizaos/core';
import { StartError } from './environment.js';

interface Provider {
  name: string;
  /** Configured when this variable is set. */
  variable: string;
  package: string;
  /** Line of releases that fits elizaOS 1.7. */
  range: string;
  /** Its other variables begin like this. */
  prefix: string;
}

const PROVIDERS: readonly Provider[] = [
  {
    name: 'OpenAI',
    variable: 'OPENAI_API_KEY',
    package: '@elizaos/plugin-openai',
    range: '1',
    prefix: 'OPENAI_',
  },
  {
    name: 'Anthropic',
    variable: 'ANTHROPIC_API_KEY',
    package: '@elizaos/plugin-anthropic',
    range: '1',
    prefix: 'ANTHROPIC_',
  },
  {
    name: 'Ollama',
    variable: 'OLLAMA_API_ENDPOINT',
    package: '@elizaos/plugin-ollama',
    range: '1',
    prefix: 'OLLAMA_',
  },
];

/** What the host and every provider read, beside a provider's own variables. */
const MODEL_SETTINGS =
  /^(?:SMALL_MODEL|LARGE_MODEL|EMBEDDING_\w+|(?:DEFAULT|TEXT|OBJECT)_\w*(?:MAX_TOKENS|TEMPERATURE|PENALTY))$/;

export interface ModelChoice {
  /** `null`: nothing is configured, the offline rules answer. */
  plugin: Plugin | null;
  description: string;
  /** Environment variables this model's plugin may read. */
  variables: string[];
  hasEmbeddings: boolean;
}

/**
 * @throws StartError when a provider is configured whose plugin is not installed: answering with
 * the offline rules instead would look like the model.
 */
export async function chooseModel(environment: NodeJS.ProcessEnv): Promise<ModelChoice> {
  const provider = PROVIDERS.find((one) => environment[one.variable]);
  if (!provider) {
    const variables = PROVIDERS.map((one) => one.variable).join(', ');
    return {
      plugin: null,
      description: `small offline model, fixed rules (none of ${variables} is set)`,
      variables: [],
      hasEmbeddings: true,
    };
  }
  const plugin = await loadPlugin(provider);
  const hasEmbeddings = plugin.models !== undefined && 'TEXT_EMBEDDING' in plugin.models;
  return {
    plugin,
    description:
      `${provider.name} through ${provider.package} (${provider.variable} is set)` +
      (hasEmbeddings ? '' : '; embeddings: offline word hashes'),
    variables: Object.keys(environment).filter(
      (name) => name.startsWith(provider.prefix) || MODEL_SETTINGS.test(name),
    ),
    hasEmbeddings,
  };
}

async function loadPlugin(provider: Provider): Promise<Plugin> {
  let loaded: unknown;
  try {
    loaded = await import(provider.package);
  } catch (error) {
    const missing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (missing && error.message.includes(provider.package)) {
      throw new StartError(
        `${provider.variable} is set, but ${provider.package} is not installed. Install it with\n\n` +
          `  npm install --no-save ${provider.package}@${provider.range}\n\n` +
          `or unset ${provider.variable} to talk to the small offline model.`,
        { cause: error },
      );
    }
    throw error;
  }
  const plugin = pluginOf(loaded);
  if (plugin) return plugin;
  throw new StartError(`${provider.package} has no elizaOS plugin as its default export.`);
}

function pluginOf(loaded: unknown): Plugin | null {
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded)) return null;
  const { default: plugin } = loaded;
  return typeof plugin === 'object' && plugin !== null && 'name' in plugin
    ? (plugin as Plugin)
    : null;
}
