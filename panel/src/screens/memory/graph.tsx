/** Links as a picture: causes above, effects below, what is related beside. */
import { useEffect, useRef, useState } from 'react';
import { linkTo } from '../../route.js';
import type { Linked } from './links.js';

const BOX = { width: 150, height: 30, gapX: 12, gapY: 34 };
const CHARACTER = 6.6;
const MARGIN = 2;

interface Start {
  id: string;
  title: string;
  success: boolean;
}

interface Placed extends Start {
  x: number;
  y: number;
  number: number;
}

/** What it shows stands in a list below it, too: so nothing of it is read aloud. */
export function Graph({ start, linked }: { start: Start; linked: readonly Linked[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  // At least two side by side.
  const boxWidth = Math.max(60, Math.min(BOX.width, (width - BOX.gapX) / 2 - MARGIN));
  const { placed, height } = place(start, linked, width, boxWidth);
  const at = new Map(placed.map((node) => [node.id, node]));
  return (
    <div ref={box} className="graph" aria-hidden="true">
      {width > 0 && (
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="presentation">
          {linked.map(({ id, from, type }) => {
            const [one, other] = [at.get(from), at.get(id)];
            if (one === undefined || other === undefined) return null;
            const isCausal = type === 'caused_by' || type === 'led_to';
            return <path key={id} className={isCausal ? 'cause' : ''} d={curve(one, other)} />;
          })}
          {placed.map((node) => (
            <Node key={node.id} node={node} width={boxWidth} isStart={node.id === start.id} />
          ))}
        </svg>
      )}
    </div>
  );
}

function Node({ node, width, isStart }: { node: Placed; width: number; isStart: boolean }) {
  const { id, title, success, x, y, number } = node;
  const label = clipped(number === 0 ? title : `${number} ${title}`, (width - 34) / CHARACTER);
  return (
    <a href={linkTo('memory', id)} tabIndex={-1} className={isStart ? 'node start' : 'node'}>
      <title>{title}</title>
      <rect x={x - width / 2} y={y - BOX.height / 2} width={width} height={BOX.height} rx={8} />
      <circle cx={x - width / 2 + 13} cy={y} r={4} className={success ? 'good' : 'bad'} />
      <text x={x - width / 2 + 24} y={y + 4}>
        {label}
      </text>
    </a>
  );
}

function place(start: Start, linked: readonly Linked[], width: number, boxWidth: number) {
  const perRow = Math.max(1, Math.floor((width + BOX.gapX) / (boxWidth + BOX.gapX)));
  const levels = new Map<number, (Start & { number: number })[]>([[0, [{ ...start, number: 0 }]]]);
  for (const [index, { id, title, success, level }] of linked.entries()) {
    const row = levels.get(level) ?? [];
    levels.set(level, row);
    row.push({ id, title, success, number: index + 1 });
  }
  const placed: Placed[] = [];
  let y = BOX.height / 2 + MARGIN;
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    const nodes = levels.get(level) ?? [];
    for (let first = 0; first < nodes.length; first += perRow) {
      const row = nodes.slice(first, first + perRow);
      const step = boxWidth + BOX.gapX;
      const left = width / 2 - ((row.length - 1) * step) / 2;
      placed.push(...row.map((node, n) => ({ ...node, x: left + n * step, y })));
      y += BOX.height + BOX.gapY;
    }
  }
  return { placed, height: y - BOX.gapY - BOX.height / 2 + MARGIN };
}

function curve(one: Placed, other: Placed): string {
  if (one.y === other.y) {
    const [left, right] = one.x < other.x ? [one, other] : [other, one];
    return `M ${left.x} ${left.y} H ${right.x}`;
  }
  const side = one.y < other.y ? 1 : -1;
  const [from, to] = [one.y + (side * BOX.height) / 2, other.y - (side * BOX.height) / 2];
  const middle = (from + to) / 2;
  return `M ${one.x} ${from} C ${one.x} ${middle} ${other.x} ${middle} ${other.x} ${to}`;
}

function clipped(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
