/** Logistic regression with an L2 penalty, by Newton's method: the same numbers on every run. Pure. */

export interface Head {
  /** Of each feature over the training pairs, for standardising. */
  mean: number[];
  spread: number[];
  weights: number[];
  bias: number;
}

const ROUNDS = 25;
const ENOUGH = 1e-7;

/** Mean and spread of each feature. */
export function scales(rows: readonly ArrayLike<number>[]): Pick<Head, 'mean' | 'spread'> {
  const width = rows[0]?.length ?? 0;
  const mean = new Array<number>(width).fill(0);
  const spread = new Array<number>(width).fill(0);
  for (const row of rows)
    for (let at = 0; at < width; at++) mean[at] = (mean[at] as number) + (row[at] as number);
  for (let at = 0; at < width; at++) mean[at] = (mean[at] as number) / rows.length;
  for (const row of rows) {
    for (let at = 0; at < width; at++) {
      spread[at] = (spread[at] as number) + ((row[at] as number) - (mean[at] as number)) ** 2;
    }
  }
  for (let at = 0; at < width; at++) {
    const deviation = Math.sqrt((spread[at] as number) / rows.length);
    spread[at] = deviation > 1e-6 ? deviation : 1;
  }
  return { mean, spread };
}

/** @param strength of the penalty on each weight; the bias is free */
export function regression(
  rows: readonly ArrayLike<number>[],
  labels: readonly number[],
  importance: readonly number[],
  strength: number,
): Head {
  const width = rows[0]?.length ?? 0;
  const { mean, spread } = scales(rows);
  const size = width + 1;
  const scaled = rows.map((row) => {
    const values = new Float64Array(size);
    for (let at = 0; at < width; at++) {
      values[at] = ((row[at] as number) - (mean[at] as number)) / (spread[at] as number);
    }
    values[width] = 1;
    return values;
  });
  const beta = new Float64Array(size);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    for (const [index, row] of scaled.entries()) {
      const worth = importance[index] as number;
      if (worth === 0) continue;
      const p = probability(dot(beta, row));
      const error = worth * (p - (labels[index] as number));
      const curve = worth * Math.max(p * (1 - p), 1e-9);
      for (let i = 0; i < size; i++) {
        const value = row[i] as number;
        if (value === 0) continue;
        gradient[i] = (gradient[i] as number) + error * value;
        const scale = curve * value;
        const base = i * size;
        for (let j = 0; j <= i; j++) {
          hessian[base + j] = (hessian[base + j] as number) + scale * (row[j] as number);
        }
      }
    }
    for (let i = 0; i < width; i++) {
      gradient[i] = (gradient[i] as number) + strength * (beta[i] as number);
      hessian[i * size + i] = (hessian[i * size + i] as number) + strength;
    }
    const step = solve(hessian, gradient, size);
    let moved = 0;
    for (let i = 0; i < size; i++) {
      beta[i] = (beta[i] as number) - (step[i] as number);
      moved = Math.max(moved, Math.abs(step[i] as number));
    }
    if (moved < ENOUGH) break;
  }
  return { mean, spread, weights: [...beta.subarray(0, width)], bias: beta[width] as number };
}

export function predict({ mean, spread, weights, bias }: Head, row: Float64Array): number {
  let sum = bias;
  for (let at = 0; at < weights.length; at++) {
    sum +=
      ((weights[at] as number) * ((row[at] as number) - (mean[at] as number))) /
      (spread[at] as number);
  }
  return probability(sum);
}

function probability(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** Cholesky of the lower triangle, in place. */
function solve(matrix: Float64Array, right: Float64Array, size: number): Float64Array {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j] as number;
      for (let k = 0; k < j; k++) {
        sum -= (matrix[i * size + k] as number) * (matrix[j * size + k] as number);
      }
      matrix[i * size + j] =
        i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (matrix[j * size + j] as number);
    }
  }
  const solved = Float64Array.from(right);
  for (let i = 0; i < size; i++) {
    let sum = solved[i] as number;
    for (let k = 0; k < i; k++) sum -= (matrix[i * size + k] as number) * (solved[k] as number);
    solved[i] = sum / (matrix[i * size + i] as number);
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = solved[i] as number;
    for (let k = i + 1; k < size; k++)
      sum -= (matrix[k * size + i] as number) * (solved[k] as number);
    solved[i] = sum / (matrix[i * size + i] as number);
  }
  return solved;
}
