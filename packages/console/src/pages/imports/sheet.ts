import { nothing } from 'lit';
import type { LedgerPreview } from '@financing-checkout/contract';
import { texts } from '../../locale/locale.ts';
import { selectField } from '../../parts/fields.ts';
import { cardView } from '../../parts/views.ts';
import type { Draft } from './draft.ts';

/** Asks which sheet of a workbook is imported, where several have content. */
export function sheetView(draft: Draft, { sheets = [] }: LedgerPreview) {
  if (sheets.length < 2) return nothing;
  const { imports } = texts();
  const { sheet } = draft.choices;
  const names = sheets.map((name) => [name, name] as const);
  return cardView(
    imports.sheet,
    selectField(
      imports.sheetHelp,
      sheet === '' ? [['', imports.pick], ...names] : names,
      sheet,
      (name) => draft.useSheet(name),
      { ariaLabel: imports.sheet, disabled: draft.work !== undefined },
    ),
  );
}
