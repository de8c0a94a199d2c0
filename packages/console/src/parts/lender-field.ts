import { Task } from '@lit/task';
import { html, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { call } from '../api/client.ts';
import { texts } from '../locale/locale.ts';

/** Loads the sorted names of the lenders in the fundings. */
export const lendersTask = (host: ReactiveControllerHost) =>
  new Task(host, {
    args: () => [] as const,
    task: async (_, { signal }) => {
      const { rows } = await call('get /radar', { signal });
      return [...new Set(rows.map(({ lender }) => lender))].filter(Boolean).sort();
    },
  });

/** Returns the names that equal a typed text in any letter case, or else those that contain it. */
export function lendersMeant(typed: string, lenders: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase();
  const same = lenders.filter((name) => name.toLowerCase() === wanted);
  return same.length > 0 ? same : lenders.filter((name) => name.toLowerCase().includes(wanted));
}

/**
 * Shows a field for a lender, with the known ones to choose from. A fragment in any letter case is
 * completed if only one lender contains it; if several do, the field names them. The server judges
 * any other name, because it may be an alias.
 */
export function lenderField(
  label: string,
  value: string,
  lenders: readonly string[],
  set: (lender: string) => void,
): TemplateResult {
  const choose = (event: Event) => {
    // The form would read the typed fragment as the lender's name.
    event.stopPropagation();
    const input = event.currentTarget as HTMLInputElement;
    const typed = input.value.trim();
    const found = typed === '' ? [] : lendersMeant(typed, lenders);
    const isClear = found.length < 2;
    input.ariaInvalid = isClear ? null : 'true';
    const note = input.parentElement?.querySelector('.problem');
    if (note) note.textContent = isClear ? '' : texts().common.lendersMeant(found);
    if (!isClear) return;
    const lender = found[0] ?? typed;
    input.value = lender;
    set(lender);
  };
  return html`<label class="field">
    <span>${label}</span>
    <input
      class="medium"
      list="lenders"
      maxlength="256"
      autocomplete="off"
      spellcheck="false"
      .value=${value}
      @change=${choose}
    />
    <datalist id="lenders">
      ${lenders.map((name) => html`<option value=${name}></option>`)}
    </datalist>
    <small class="problem" role="alert"></small>
  </label>`;
}
