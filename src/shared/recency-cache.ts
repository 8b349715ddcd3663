/** A map of at most `most` entries: what is set is the newest, and the oldest goes first. */
export class RecencyCache<Key, Value> extends Map<Key, Value> {
  private readonly most: number;

  constructor(most: number) {
    super();
    this.most = most;
  }

  override set(key: Key, value: Value): this {
    super.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.most && oldest !== undefined) super.delete(oldest);
    return this;
  }
}
