import { html, nothing, type TemplateResult } from 'lit';
import type { CaseRecord } from '@financing-checkout/contract/reconciliation';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { amountView, headlineText } from '../../parts/values.ts';
import { cardView, maybe, quiet } from '../../parts/views.ts';
import { caseItem } from './similar.ts';

interface CasePage {
  cases: CaseRecord[];
  /** Total number of cases, if there are more. */
  count?: number;
}

/** Number of cases offered as choices. Any other case can be found by its order or ID. */
const MOST_OFFERED = 200;

/** Whether another case can be merged into this one. */
export const isMain = ({ mergedInto, state }: CaseRecord): boolean =>
  state === 'open' && mergedInto === undefined;

/** Whether a case can be merged into another. Cases in two currencies would have no total. */
export const isMergeable = (one: CaseRecord, main: CaseRecord): boolean =>
  one.id !== main.id && one.currency === main.currency && one.can.includes('merge');

/** Returns a case's name in a list of choices: its exception and its order. */
export function caseName({ code, merchantOrderId, orderKey }: CaseRecord): string {
  return `${headlineText(code)} · ${merchantOrderId ?? orderKey}`;
}

/** Reads the cases into which a case can be merged, those with the most money first. */
export async function readMains(
  one: CaseRecord,
  signal: AbortSignal,
): Promise<readonly CaseRecord[]> {
  const query = { state: 'open', merged: 'false', currency: one.currency || undefined };
  const { cases } = await get<CasePage>(
    '/cases',
    { ...query, limit: String(MOST_OFFERED) },
    signal,
  );
  return cases.filter((main) => isMergeable(one, main));
}

/**
 * Returns the ID of the case that the user chose by name, order or ID; undefined if there is none
 * or more than one.
 * @throws {ApiError}
 */
export async function findMain(
  text: string,
  one: CaseRecord,
  offered: readonly CaseRecord[],
): Promise<string | undefined> {
  const named = offered.filter((main) => caseName(main) === text);
  if (named.length > 0) return named.length === 1 ? named[0]?.id : undefined;
  if (text.startsWith('case_')) return text;
  const { cases } = await get<CasePage>('/cases', { merchantOrderId: text, state: 'open' });
  const found = cases.filter((main) => isMain(main) && isMergeable(one, main));
  return found.length === 1 ? found[0]?.id : undefined;
}

/** Shows the field in which the user chooses the other case. */
export function mainField(offered: readonly CaseRecord[], onFocus: () => void): TemplateResult {
  const { cases } = texts();
  return html`<label>
      <span>${cases.mergeInto}</span>
      <input
        name="into"
        list="mains"
        required
        maxlength="256"
        autocomplete="off"
        placeholder=${cases.mergeOther}
        @focus=${onFocus}
      />
    </label>
    <datalist id="mains">
      ${offered.map(
        (main) =>
          html`<option value=${caseName(main)}>
            ${formats().amount(main.amount, main.currency)}
          </option>`,
      )}
    </datalist>`;
}

/** Returns a case's own money at stake, excluding what other cases of its order count. */
export const ownStakeOf = ({ amount, atStake }: CaseRecord): number => atStake ?? Math.abs(amount);

/** Whether other open cases of the order count all of a case's money. */
export const isCountedWithOthers = ({ atStake, together }: CaseRecord): boolean =>
  atStake === 0 && (together?.amount ?? 0) === 0;

/**
 * Shows how much of a case's amount is at stake, if other cases of its order count the rest.
 * @param isShort in a table row: "of which $1,647.93 at stake"
 */
export function stakeView({ atStake, currency, currencyAssumed }: CaseRecord, isShort = false) {
  const { cases } = texts();
  return maybe(atStake, (stake) => {
    const amount = amountView(stake, currency, currencyAssumed);
    return html`<span class="quiet"
      >${cases.atStake(amount)}${isShort ? nothing : cases.restElsewhere}</span
    >`;
  });
}

/**
 * Shows how many cases are merged into a case, and the total at stake.
 * @param isShort in a table row: "with 3 cases, $14,381.34"
 */
export function totalView({ currency, currencyAssumed, together }: CaseRecord, isShort = false) {
  const { aging, totalAtStake, withOthers } = texts().cases;
  return maybe(together, ({ amount, assumedCurrency, count }) => {
    const total = amount === null ? nothing : amountView(amount, currency, currencyAssumed);
    if (isShort) {
      const separator = amount === null ? nothing : ', ';
      return html`<span class="quiet">${withOthers(count)}${separator}${total}</span>`;
    }
    return html`<span class="quiet"
      >${withOthers(count)}${amount === null ? nothing : html`, ${total} ${totalAtStake}`}${
        assumedCurrency === 0 ? nothing : `, ${aging.assumed(assumedCurrency)}`
      }</span
    >`;
  });
}

/** Reads the cases merged into a case. */
export async function readMerged(id: string, signal: AbortSignal): Promise<CasePage> {
  return get<CasePage>('/cases', { mergedInto: id, limit: String(MOST_OFFERED) }, signal);
}

/** Shows the cases merged into a case. */
export function mergedView(id: string, { cases: list, count }: CasePage): TemplateResult {
  const { cases } = texts();
  const isWhole = count === undefined;
  return cardView(
    cases.mergedTitle,
    html`${quiet(cases.mergedHint)}
      <ul class="similar">
        ${list.map(caseItem)}
      </ul>
      ${
        isWhole
          ? nothing
          : html`<a href="${paths.cases}?state=all&mergedInto=${encodeURIComponent(id)}"
              >${cases.similar.all(count)}</a
            >`
      }`,
  );
}
