/**
 * Typed edges between documents, found from either end, in some 70 bytes each: as objects with three
 * ids of 36 characters they would take ten times as much.
 */
import { AppError } from '../../shared/errors.js';
import type { Uuid } from '../../shared/ids.js';
import { int32Column } from './columns.js';
import { IdTable } from './id-table.js';
import { Interner } from './interner.js';
import { BlockPool, PackedLists } from './packed-lists.js';
import type { LinkEdge, LinkGraph } from './types.js';

/**
 * A link graph. An edge from a document to itself is ignored (it says nothing, and walks would have
 * to skip it); putting a known id replaces that edge. Cycles are fine: walking is the caller's.
 */
export function createLinkGraph(): LinkGraph & { all(): IterableIterator<LinkEdge> } {
  const edges = new IdTable();
  /** Documents at an end of an edge, by number. */
  const ends = new IdTable();
  const types = new Interner();
  /** Of each edge: its ends, and its type + 1, 0 for one that is gone. */
  const sourceOf = int32Column();
  const targetOf = int32Column();
  const typeOf = int32Column();
  const pool = new BlockPool();
  const outgoing = new PackedLists(pool, 0);
  const incoming = new PackedLists(pool, 0);
  let numbers = 0;

  function endOf(id: Uuid): number {
    const known = ends.slotOf(id);
    if (known !== undefined) return known;
    const end = ends.size;
    ends.add(end, id);
    return end;
  }

  function edgeAt(number: number): LinkEdge {
    return {
      id: edges.idOf(number),
      source: ends.idOf(sourceOf.data[number] as number),
      target: ends.idOf(targetOf.data[number] as number),
      type: types.textOf((typeOf.data[number] as number) - 1),
    };
  }

  function edgesAt(lists: PackedLists, id: Uuid): LinkEdge[] {
    const end = ends.slotOf(id);
    return end === undefined ? [] : Array.from(lists.read(end), edgeAt);
  }

  function take(lists: PackedLists, end: number, number: number): void {
    lists.set(
      end,
      lists.read(end).filter((other) => other !== number),
    );
  }

  function remove(id: Uuid): boolean {
    const number = edges.slotOf(id);
    if (number === undefined) return false;
    edges.remove(number);
    typeOf.data[number] = 0;
    take(outgoing, sourceOf.data[number] as number, number);
    take(incoming, targetOf.data[number] as number, number);
    return true;
  }

  return {
    get size() {
      return edges.size;
    },
    put({ id, source, target, type }) {
      if (![id, source, target].every((one) => edges.isId(one))) {
        throw new AppError('INVALID_INPUT', `an id of the link "${id}" is not a UUID`);
      }
      remove(id);
      if (source === target) return;
      const number = numbers;
      numbers += 1;
      edges.add(number, id);
      for (const column of [sourceOf, targetOf, typeOf]) column.reserve(numbers);
      sourceOf.data[number] = endOf(source);
      targetOf.data[number] = endOf(target);
      typeOf.data[number] = types.intern(type) + 1;
      outgoing.push(sourceOf.data[number] as number, number, 0);
      incoming.push(targetOf.data[number] as number, number, 0);
    },
    remove,
    out: (id) => edgesAt(outgoing, id),
    in: (id) => edgesAt(incoming, id),
    *all() {
      for (let number = 0; number < numbers; number += 1) {
        if (typeOf.data[number] !== 0) yield edgeAt(number);
      }
    },
  };
}
