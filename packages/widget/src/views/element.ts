import { LitElement } from 'lit';
import type { PropertyDeclarations } from 'lit';
import { languageAround } from '../texts/language-around.ts';

/** What all elements have in common: they follow the language of the surrounding page. */
export abstract class FinancingElement extends LitElement {
  static override readonly properties: PropertyDeclarations = { locale: {} };

  /** BCP 47 tag. The default is the language of the page. */
  declare locale: string;
  /**
   * Observes the attributes around the element that affect it: `lang`, and those that disable a
   * fieldset.
   */
  #around: MutationObserver | undefined;

  /** Called when the language, or a fieldset, around the connected element may have changed. */
  protected abstract _onContext(): void;

  override connectedCallback(): void {
    super.connectedCallback();
    if (!('MutationObserver' in globalThis)) return;
    this.#around = new MutationObserver(() => this._onContext());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#around?.disconnect();
  }

  protected get _language(): string {
    return this.locale || languageAround(this, this.#around) || navigator.language;
  }
}
