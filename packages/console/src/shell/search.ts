import { html, nothing } from 'lit';
import type { SearchResult } from '@financing-checkout/contract/reconciliation';
import { get } from '../api/client.ts';
import { texts } from '../locale/locale.ts';
import { elementWith, optional } from '../parts/element.ts';
import { valueOf } from '../parts/fields.ts';
import { NAVIGATED } from '../parts/navigation.ts';
import '../parts/shortcuts.ts';
import { sentenceOf } from '../parts/states.ts';
import { maybe, plainButton } from '../parts/views.ts';
import { rememberOpened } from './recent.ts';
import {
  type Actions,
  commandsOf,
  type Item,
  type ItemGroup,
  mergedGroups,
  recentGroup,
  resultGroups,
} from './search-items.ts';

/** Debounce delay of the search, in milliseconds. */
const PAUSE_MS = 150;
/** For shorter texts, IDs are matched only by their beginning. */
const SHORTEST_FRAGMENT = 3;

/**
 * The palette, which finds everything with an ID, a name or an amount, and runs commands. A
 * combobox whose listbox has groups of options. `Ctrl-K` and `/` open it on every page.
 */
class ConsoleSearch extends elementWith({
  actions: optional<Actions>(),
  /** The displayed language. A change renders the texts again. */
  language: '',
  isOpen: false,
  query: '',
  found: optional<SearchResult['groups']>(),
  notSearched: optional<SearchResult['notSearched']>(),
  isSearching: false,
  active: 0,
  problem: optional<string>(),
}) {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request = new AbortController();
  /** The text whose results are shown. */
  #answered = '';
  /** Whether Enter is waiting for the results of the text in the field. */
  #isAwaited = false;
  /** The element that had the focus before a key opened the palette. */
  #before: HTMLElement | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#shortcut);
    addEventListener(NAVIGATED, this.#remember);
    addEventListener('popstate', this.#remember);
    this.#remember();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#shortcut);
    removeEventListener(NAVIGATED, this.#remember);
    removeEventListener('popstate', this.#remember);
    this.#stop();
  }

  readonly #remember = () => rememberOpened(location.pathname);

  readonly #shortcut = (event: KeyboardEvent) => {
    const isK = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isK && !(isSlash && !isEditable(event.composedPath()[0]))) return;
    if (document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    const { activeElement } = document;
    if (!this.contains(activeElement)) {
      this.#before = activeElement instanceof HTMLElement ? activeElement : undefined;
    }
    this.#input()?.focus();
    this.#input()?.select();
    this.isOpen = true;
  };

  #input(): HTMLInputElement | null {
    return this.querySelector('input');
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#request.abort();
    this.isSearching = false;
    this.#isAwaited = false;
  }

  #type(text: string): void {
    this.#stop();
    [this.query, this.active, this.isOpen] = [text.trim(), 0, true];
    if (this.query === '') {
      [this.found, this.problem] = [undefined, undefined];
      return;
    }
    this.isSearching = true;
    this.#timer = setTimeout(() => void this.#find(this.query), PAUSE_MS);
  }

  async #find(q: string): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    try {
      const answer = await get<SearchResult>('/search', { q }, request.signal);
      [this.found, this.problem] = [answer.groups, undefined];
      this.notSearched = answer.notSearched?.filter(({ gap }) => gap !== 'fragments');
      this.#answered = q;
      for (const fragments of answer.unsearched) {
        if (this.#runAwaited()) return;
        const further = await get<SearchResult>('/search', { q, fragments }, request.signal);
        this.found = mergedGroups(this.found, further.groups);
      }
      if (this.#runAwaited()) return;
    } catch (error) {
      if (request.signal.aborted) return;
      [this.found, this.problem] = [[], sentenceOf(error)];
    }
    this.isSearching = false;
    this.#isAwaited = false;
  }

  /** Opens the first result if the Enter key waits for it. */
  #runAwaited(): boolean {
    const item = this.#items()[this.active];
    if (!this.#isAwaited || item === undefined) return false;
    this.#run(item);
    return true;
  }

  #close({ returnsFocus = false } = {}): void {
    this.#stop();
    this.isOpen = false;
    const before = this.#before;
    this.#before = undefined;
    if (!returnsFocus) return;
    if (before?.isConnected) before.focus();
    else this.#input()?.focus();
  }

  #clear(): void {
    [this.query, this.found, this.problem, this.active] = ['', undefined, undefined, 0];
    this.#answered = '';
    const input = this.#input();
    if (input) input.value = '';
  }

  #run(item: Item | undefined): void {
    if (item === undefined) return;
    this.#close();
    this.#clear();
    item.run();
  }

  #key(event: KeyboardEvent): void {
    const items = this.#items();
    const count = items.length;
    const move = (step: number) => {
      if (!this.isOpen) this.isOpen = true;
      else if (count > 0) this.active = (this.active + step + count) % count;
    };
    if (event.key === 'Escape') {
      this.#close({ returnsFocus: true });
      this.#clear();
    } else if (event.key === 'Enter') {
      // A command is available immediately, but the text's results may not be.
      const isCommand = commandsOf(this.query, this.actions).length > 0;
      const isAnswered = this.#answered === this.query && count > 0;
      const isWaiting = this.isSearching && !isAnswered && !isCommand;
      if (isWaiting) this.#isAwaited = true;
      else this.#run(this.isOpen ? items[this.active] : undefined);
    } else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else return;
    event.preventDefault();
  }

  #groups(): ItemGroup[] {
    const commands = commandsOf(this.query, this.actions);
    if (this.query === '') return [...recentGroup(), ...commands];
    return [...commands, ...resultGroups({ groups: this.found ?? [] })];
  }

  #items(): Item[] {
    return this.#groups().flatMap(({ items }) => items);
  }

  #hint(): string | undefined {
    const { shell } = texts();
    if (this.problem !== undefined) return this.problem;
    if (this.isSearching) return shell.searching;
    if (this.query === '') return undefined;
    const none = this.query.length < SHORTEST_FRAGMENT ? shell.searchShort : shell.searchNone;
    const gaps = texts().gaps(this.notSearched);
    return [this.#items().length > 0 ? undefined : none, gaps].filter(Boolean).join(' ');
  }

  protected override updated(): void {
    if (this.isOpen)
      this.querySelector(`#match-${this.active}`)?.scrollIntoView({ block: 'nearest' });
  }

  protected override render() {
    const { common, shell } = texts();
    const { isOpen } = this;
    const groups = isOpen ? this.#groups() : [];
    const hasItems = groups.length > 0;
    let index = 0;
    return html`<div class="search ${isOpen ? 'open' : ''}">
      <div class="search-field">
        <wa-icon name="search"></wa-icon>
        <input
          type="search"
          role="combobox"
          aria-label=${shell.searchLabel}
          aria-keyshortcuts="Control+K Meta+K /"
          placeholder=${shell.searchHint}
          autocomplete="off"
          spellcheck="false"
          maxlength="256"
          aria-autocomplete="list"
          aria-expanded=${isOpen ? 'true' : 'false'}
          aria-controls="search-matches"
          aria-describedby=${isOpen ? 'search-note' : nothing}
          aria-activedescendant=${isOpen && hasItems ? `match-${this.active}` : nothing}
          @input=${(event: Event) => this.#type(valueOf(event))}
          @click=${() => (this.isOpen = true)}
          @keydown=${(event: KeyboardEvent) => this.#key(event)}
          @blur=${() => this.#close()}
        />
        <kbd aria-hidden="true">Ctrl K</kbd>
        <span class="close" ?hidden=${!isOpen} @mousedown=${keepFocus}>
          ${plainButton(nothing, () => this.#close({ returnsFocus: true }), {
            icon: 'x',
            label: common.close,
          })}
        </span>
      </div>
      <div class="matches" ?hidden=${!isOpen} @mousedown=${keepFocus}>
        <div
          id="search-matches"
          role="listbox"
          aria-label=${shell.searchLabel}
          ?hidden=${!hasItems}
        >
          ${groups.map(
            ({ heading, count, items }, group) =>
              html`<div role="group" aria-labelledby="match-group-${group}">
                <div class="head" id="match-group-${group}" role="presentation">
                  ${heading} ${maybe(count, (text) => html`<span>${text}</span>`)}
                </div>
                ${items.map((item) => this.#optionView(item, index++))}
              </div>`,
          )}
        </div>
        <p class="quiet" id="search-note" role="status">${this.#hint() ?? nothing}</p>
      </div>
    </div>`;
  }

  #optionView(item: Item, index: number) {
    const { text, detail, isId } = item;
    return html`<div
      class="match"
      id="match-${index}"
      role="option"
      aria-selected=${index === this.active ? 'true' : 'false'}
      @click=${() => this.#run(item)}
    >
      <span class=${isId ? 'id' : ''}>${text}</span>
      ${maybe(detail, (more) => html`<span class="quiet">${more}</span>`)}
    </div>`;
  }
}

/** Keeps the focus in the field, so that a click does not close the palette first. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

/** Whether an element takes typed text. */
function isEditable(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}

customElements.define('console-search', ConsoleSearch);
