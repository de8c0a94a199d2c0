import { html, nothing } from 'lit';
import type { LedgerPreview } from '@financing-checkout/contract/reconciliation';
import { texts } from '../../locale/locale.ts';
import { selectField } from '../../parts/fields.ts';
import type { Draft } from './draft.ts';

/** Names workbook contents that the preview does not show, and asks for one of several sheets. */
export function sheetView(draft: Draft, preview: LedgerPreview) {
  return html`${choiceView(draft, preview)} ${unseenView(preview)}`;
}

function unseenView({ unseen = [] }: LedgerPreview) {
  if (unseen.length === 0) return nothing;
  const { imports } = texts();
  return html`<section class="card">
    <h2>${imports.unseen}</h2>
    <ul>
      ${unseen.map(
        ({ count, kind, places }) =>
          html`<li>
            ${imports.unseenKinds[kind](count)}
            <span class="quiet">${places.join(', ')}${count > places.length ? ' …' : ''}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}

function choiceView(draft: Draft, { proposal, sheets = [] }: LedgerPreview) {
  if (sheets.length < 2 && (sheets.length === 0 || proposal.sheet !== undefined)) return nothing;
  const { imports } = texts();
  const { sheet = '' } = draft.options;
  const names = sheets.map((name) => [name, name] as const);
  return html`<section class="card">
    <h2>${imports.sheet}</h2>
    ${selectField(
      imports.sheetHelp,
      sheet === '' ? [['', imports.pick], ...names] : names,
      sheet,
      (name) => draft.useSheet(name),
      { ariaLabel: imports.sheet, disabled: draft.work !== undefined },
    )}
  </section>`;
}
