import { percent } from '../format.js';

/** How sure an answer is, as a number and a bar. */
export function Confidence({ share }: { share: number }) {
  return (
    <span className="confidence" title="How likely it answers the question">
      <span className="meter" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {percent(share)}
      <span className="unseen"> sure</span>
    </span>
  );
}
