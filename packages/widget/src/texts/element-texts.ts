import { languageAround } from './language-around.ts';
import { checkoutTexts, reword } from './texts.ts';
import type { Spoken, TextSource } from './texts.ts';

type TextsHost = HTMLElement & { readonly locale: string; readonly texts: object };

/** The texts of one element, in its language and with the shop's own wording. */
export class ElementTexts {
  readonly #element: TextsHost;
  readonly #onChange: () => void;
  /** Observes the `lang` attributes that apply to the element. */
  declare observer: MutationObserver | undefined;
  readonly #source: TextSource;
  #texts: Spoken;
  /** Whether the shopper has acted, so that every notice must have its text. */
  #isActive = false;

  /** @param onChange called when other texts have loaded */
  constructor(element: TextsHost, onChange: () => void, source = checkoutTexts) {
    this.#element = element;
    this.#source = source;
    this.#texts = source.first;
    this.#onChange = onChange;
  }

  get current(): Spoken {
    return reword(this.#texts, this.#element.texts, this.#source.locked);
  }

  get locale(): string {
    const around = languageAround(this.#element, this.observer);
    return this.#element.locale || around || navigator.language;
  }

  /** Loads the texts of the element's language. */
  async load(): Promise<void> {
    const { locale } = this;
    let texts = await this.#source.load(locale);
    if (this.#isActive) texts = await this.#source.complete(texts);
    if (locale === this.locale) this.#set(texts);
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
