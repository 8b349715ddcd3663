/** Typed edges between documents, in memory, found from either end. */
import type { Uuid } from '../../shared/ids.js';
import type { LinkEdge, LinkGraph } from './types.js';

const NONE: readonly LinkEdge[] = [];

/**
 * A link graph. An edge from a document to itself is ignored (it says nothing, and walks would have
 * to skip it); putting a known id replaces that edge. Cycles are fine: walking is the caller's.
 */
export function createLinkGraph(): LinkGraph & { all(): IterableIterator<LinkEdge> } {
  const edges = new Map<Uuid, LinkEdge>();
  const outgoing = new Map<Uuid, LinkEdge[]>();
  const incoming = new Map<Uuid, LinkEdge[]>();

  function remove(id: Uuid): boolean {
    const edge = edges.get(id);
    if (edge === undefined) return false;
    edges.delete(id);
    take(outgoing, edge.source, edge);
    take(incoming, edge.target, edge);
    return true;
  }

  return {
    get size() {
      return edges.size;
    },
    put(edge) {
      remove(edge.id);
      if (edge.source === edge.target) return;
      const own = { id: edge.id, source: edge.source, target: edge.target, type: edge.type };
      edges.set(own.id, own);
      give(outgoing, own.source, own);
      give(incoming, own.target, own);
    },
    remove,
    out: (id) => outgoing.get(id) ?? NONE,
    in: (id) => incoming.get(id) ?? NONE,
    all: () => edges.values(),
  };
}

function give(map: Map<Uuid, LinkEdge[]>, id: Uuid, edge: LinkEdge): void {
  const list = map.get(id);
  if (list === undefined) map.set(id, [edge]);
  else list.push(edge);
}

/** Lists are replaced and not changed, so that a walk over one survives a removal. */
function take(map: Map<Uuid, LinkEdge[]>, id: Uuid, edge: LinkEdge): void {
  const rest = (map.get(id) ?? []).filter((other) => other !== edge);
  if (rest.length === 0) map.delete(id);
  else map.set(id, rest);
}
