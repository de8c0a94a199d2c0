import { html, nothing } from 'lit';
import type { CaseState } from '@financing-checkout/contract';
import { exceptionCodes } from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { filters, setFilters } from '../../parts/navigation.ts';
import { headlineText } from '../../parts/values.ts';
import { readAmount, typedText } from '../../parts/typed-amount.ts';

/** Returns the query of `GET /cases` for the filters of the address; open cases without a state. */
export function queryOf({
  state = 'open',
  code,
  currency,
  assignee,
  least,
  days,
}: Readonly<Record<string, string>>): Record<string, string | undefined> {
  return { state: state === 'all' ? undefined : state, code, currency, assignee, least, days };
}

const variants = {
  open: 'warning',
  resolved: 'success',
  ignored: 'neutral',
  closed: 'neutral',
} as const;

/** Shows the state of a case. */
export function caseStateView(state: CaseState) {
  return html`<wa-badge variant=${variants[state]} appearance="filled"
    >${texts().words.caseStates[state]}</wa-badge
  >`;
}

/** Decimals of the least amount: of the currency, or hundredths where none is chosen. */
const decimalsOf = (currency: string | undefined) =>
  currency === undefined ? 2 : formats().decimals(currency);

/** Shows the filters of the queue. Each change goes into the address. */
export function casesFilters(person: string) {
  const { cases, common, words } = texts();
  const chosen = filters();
  const decimals = decimalsOf(chosen.currency);
  const { locale } = formats();
  const least = chosen.least === undefined ? '' : typedText(Number(chosen.least), decimals, locale);
  const set = (name: string) => (event: Event) =>
    setFilters({ [name]: (event.currentTarget as HTMLInputElement).value.trim() });
  const setLeast = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    const minor = readAmount(input.value, decimals, locale);
    const isWrong = minor === 'unreadable' || minor === 'too-precise';
    input.setAttribute('aria-invalid', String(isWrong));
    if (!isWrong) setFilters({ least: minor === 'missing' ? undefined : String(minor) });
  };
  const select = (name: string, label: string, values: readonly (readonly [string, string])[]) =>
    html`<label>
      <span>${label}</span>
      <select @change=${set(name)}>
        ${values.map(
          ([value, text]) =>
            html`<option value=${value} .selected=${value === (chosen[name] ?? '')}>
              ${text}
            </option>`,
        )}
      </select>
    </label>`;
  const { open, ...otherStates } = words.caseStates;
  return html`<form
    class="filters"
    role="search"
    aria-label=${common.filters}
    @submit=${(event: Event) => event.preventDefault()}
  >
    ${select('state', common.state, [
      ['', open],
      ...Object.entries(otherStates),
      ['all', common.all],
    ])}
    ${select('code', common.code, [
      ['', common.all],
      ...exceptionCodes.map((code) => [code, headlineText(code)] as const),
    ])}
    <label>
      <span>${common.currency}</span>
      <input
        class="short"
        maxlength="3"
        autocomplete="off"
        placeholder="EUR"
        .value=${chosen.currency ?? ''}
        @change=${(event: Event) => {
          const { value } = event.currentTarget as HTMLInputElement;
          setFilters({ currency: value.trim().toUpperCase() });
        }}
      />
    </label>
    <label>
      <span>${cases.assignee}</span>
      <input
        class="by-person"
        autocomplete="off"
        .value=${chosen.assignee ?? ''}
        @change=${set('assignee')}
      />
    </label>
    <label>
      <span>${cases.least}</span>
      <input class="short" inputmode="decimal" .value=${least} @change=${setLeast} />
    </label>
    <label>
      <span>${cases.minimumAge}</span>
      <input
        class="short"
        type="number"
        min="0"
        max="36500"
        step="1"
        .value=${chosen.days ?? ''}
        @change=${set('days')}
      />
    </label>
    <button
      type="button"
      class="pill"
      aria-pressed=${chosen.assignee === person ? 'true' : 'false'}
      @click=${() => setFilters({ assignee: chosen.assignee === person ? undefined : person })}
    >
      <wa-icon name="user"></wa-icon> ${cases.mine}
    </button>
    ${
      Object.keys(chosen).length === 0
        ? nothing
        : html`<button
            type="button"
            class="plain"
            @click=${() =>
              setFilters(Object.fromEntries(Object.keys(chosen).map((name) => [name, undefined])))}
          >
            <wa-icon name="x"></wa-icon> ${common.clear}
          </button>`
    }
  </form>`;
}
