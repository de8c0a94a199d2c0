import { html, nothing } from 'lit';
import { get } from '../api/client.ts';
import { texts } from '../locale/locale.ts';
import { elementWith, optional } from '../parts/element.ts';
import { valueOf } from '../parts/fields.ts';
import { navigate, paths } from '../parts/navigation.ts';
import { sentenceOf } from '../parts/states.ts';

interface Match {
  kind: 'order' | 'charge' | 'transaction' | 'application';
  value: string;
  orderKey: string;
  merchantOrderId?: string;
}

/** Debounce delay of the search, in milliseconds. */
const PAUSE_MS = 200;

/** Finds an order by any of its ids: a combobox whose listbox contains the matches. */
class ConsoleSearch extends elementWith({
  found: optional<readonly Match[]>(),
  active: 0,
  problem: optional<string>(),
}) {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request: AbortController | undefined;

  #input(text: string): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
    const wanted = text.trim();
    if (wanted === '') {
      this.#close();
      return;
    }
    this.#timer = setTimeout(() => void this.#find(wanted), PAUSE_MS);
  }

  async #find(wanted: string): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    try {
      const { matches } = await get<{ matches: Match[] }>('/search', { q: wanted }, request.signal);
      [this.found, this.active, this.problem] = [matches, 0, undefined];
    } catch (error) {
      if (request.signal.aborted) return;
      [this.found, this.problem] = [[], sentenceOf(error)];
    }
  }

  #close(): void {
    [this.found, this.problem] = [undefined, undefined];
  }

  #go(match: Match | undefined): void {
    if (match === undefined) return;
    this.#close();
    const input = this.querySelector('input');
    if (input) input.value = '';
    navigate(paths.order(match.orderKey));
  }

  #key(event: KeyboardEvent): void {
    const count = this.found?.length ?? 0;
    if (event.key === 'Escape') this.#close();
    else if (event.key === 'Enter') this.#go(this.found?.[this.active]);
    else if (event.key === 'ArrowDown' && count > 0) this.active = (this.active + 1) % count;
    else if (event.key === 'ArrowUp' && count > 0) this.active = (this.active + count - 1) % count;
    else return;
    event.preventDefault();
  }

  protected override render() {
    const { shell } = texts();
    const isOpen = this.found !== undefined;
    return html`<div class="search">
      <wa-icon name="search"></wa-icon>
      <input
        type="search"
        role="combobox"
        aria-label=${shell.searchLabel}
        placeholder=${shell.searchHint}
        autocomplete="off"
        spellcheck="false"
        aria-expanded=${isOpen ? 'true' : 'false'}
        aria-controls="search-matches"
        aria-activedescendant=${isOpen ? `match-${this.active}` : nothing}
        @input=${(event: Event) => this.#input(valueOf(event))}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
        @blur=${() => setTimeout(() => this.#close(), 200)}
      />
      <ul id="search-matches" role="listbox" aria-label=${shell.searchLabel} ?hidden=${!isOpen}>
        ${this.found?.map(
          (match, index) =>
            html`<li
              id="match-${index}"
              role="option"
              aria-selected=${index === this.active ? 'true' : 'false'}
              @click=${() => this.#go(match)}
            >
              <span class="id">${match.value}</span>
              <span class="quiet">${kindText(match)}</span>
            </li>`,
        )}
        ${
          this.found?.length === 0
            ? html`<li role="option" aria-disabled="true" aria-selected="false" class="quiet">
                ${this.problem ?? shell.searchNone}
              </li>`
            : nothing
        }
      </ul>
    </div>`;
  }
}

/** Returns the kind of a match, and the order that it belongs to. */
function kindText({ kind, merchantOrderId, orderKey }: Match): string {
  const word = texts().shell.kinds[kind];
  return kind === 'order' ? word : `${word} · ${merchantOrderId ?? orderKey}`;
}

customElements.define('console-search', ConsoleSearch);
