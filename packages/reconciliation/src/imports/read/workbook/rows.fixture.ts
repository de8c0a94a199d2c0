import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../facts/facts.fixture.ts';
import type { SheetRow } from './sheet-row.ts';
import { Workbook } from './workbook.ts';

/** Opens a workbook, which is closed when the test ends. */
export function openWorkbook(file: Uint8Array): Workbook {
  const path = join(temporaryFolder(), 'lines.xlsx');
  writeFileSync(path, file);
  const workbook = new Workbook(path);
  onTestFinished(() => workbook.close());
  return workbook;
}

/** Returns the rows of a sheet. @param sheet its name or number @default the only one */
export async function rowsIn(file: Uint8Array, sheet?: string): Promise<SheetRow[]> {
  const rows: SheetRow[] = [];
  for await (const row of openWorkbook(file).rows(sheet)) rows.push(row);
  return rows;
}
