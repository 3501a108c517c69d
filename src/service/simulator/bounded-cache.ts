/** Remembers what was made for a key, up to a number of keys; the oldest is forgotten first. */
export class BoundedCache<Value> {
  readonly #most: number;
  readonly #made = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  /** What was made for the key, made now where it was not. */
  get(key: string, make: () => Value): Value {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.#made.set(key, value);
    if (this.#made.size > this.#most) this.#made.delete(this.#made.keys().next().value ?? key);
    return value;
  }
}
