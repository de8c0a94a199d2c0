import { reword } from './texts.ts';
import type { Spoken, TextSource } from './texts.ts';

/** One element's texts, in its language and with the shop's own wording. */
export class ElementTexts {
  readonly #source: TextSource;
  readonly #language: () => string;
  readonly #overrides: () => object | null | undefined;
  readonly #onChange: () => void;
  #texts: Spoken;
  /** Whether the shopper has acted, after which every notice must have its text. */
  #isActive = false;
  #locked: readonly string[];

  /** @param onChange called when different texts have loaded */
  constructor(
    source: TextSource,
    language: () => string,
    overrides: () => object | null | undefined,
    onChange: () => void,
  ) {
    this.#source = source;
    this.#language = language;
    this.#overrides = overrides;
    this.#onChange = onChange;
    this.#texts = source.first;
    this.#locked = source.locked;
  }

  get current(): Spoken {
    return reword(this.#texts, this.#overrides(), this.#locked);
  }

  get locale(): string {
    return this.#language();
  }

  /** Loads the texts of the element's language. */
  async load(): Promise<void> {
    const { locale } = this;
    let texts = await this.#source.load(locale);
    if (this.#isActive) texts = await this.#source.complete(texts);
    if (locale === this.locale) this.#set(texts);
  }

  /** Sets the names of the texts that a shop cannot change. */
  lock(names: readonly string[]): void {
    this.#locked = names;
  }

  /** Loads the texts needed after the first click. */
  async complete(): Promise<void> {
    const texts = this.#texts;
    const whole = await this.#source.complete(texts);
    this.#isActive = true;
    // The language may have changed during the load.
    if (this.#texts === texts) this.#set(whole);
  }

  #set(texts: Spoken): void {
    this.#texts = texts;
    this.#onChange();
  }
}
