/** A bar on the terminal; lines, one per tenth, where there is none. */
export interface Progress {
  /** @param what stands behind the bar */
  show(done: number, total: number, what: string): void;
  end(): void;
}

export function createProgress(out: NodeJS.WriteStream = process.stderr): Progress {
  let shown = -1;
  return {
    show(done, total, what) {
      const percent = total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
      if (percent === shown || (!out.isTTY && percent > shown && percent < shown + 10)) return;
      shown = percent;
      const bar = `[${'#'.repeat(Math.floor(percent / 5)).padEnd(20)}] ${percent} % ${what}`;
      out.write(out.isTTY ? `\r${bar.padEnd(70)}` : `${bar}\n`);
    },
    end() {
      if (out.isTTY && shown >= 0) out.write('\n');
      shown = -1;
    },
  };
}
