import { html, nothing } from 'lit';
import type { LedgerPreview } from '@financing-checkout/contract';
import { texts } from '../../locale/locale.ts';
import { valueOf } from './columns.ts';
import type { Draft } from './draft.ts';

/** Asks which sheet of a workbook is imported, where several have content. */
export function sheetView(draft: Draft, { sheets = [] }: LedgerPreview) {
  if (sheets.length < 2) return nothing;
  const { imports } = texts();
  const { sheet } = draft.choices;
  return html`<section class="card">
    <h2>${imports.sheet}</h2>
    <label class="field">
      <span>${imports.sheetHelp}</span>
      <select
        aria-label=${imports.sheet}
        ?disabled=${draft.work !== undefined}
        @change=${(event: Event) => draft.useSheet(valueOf(event))}
      >
        ${
          sheet === ''
            ? html`<option value="" disabled .selected=${true}>${imports.pick}</option>`
            : nothing
        }
        ${sheets.map(
          (name) => html`<option value=${name} .selected=${name === sheet}>${name}</option>`,
        )}
      </select>
    </label>
  </section>`;
}
