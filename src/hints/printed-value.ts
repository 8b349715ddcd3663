import type { HintValue } from './schema.js';

/** The words of a value: what is run, gone to or filled in. */
export function printedValue(value: HintValue): string {
  if (typeof value === 'string') return value;
  switch (value.type) {
    case 'command':
      return value.cmd;
    case 'path':
      return value.abs;
    case 'template':
      return value.body;
    case 'json':
      return JSON.stringify(value.data);
  }
}
