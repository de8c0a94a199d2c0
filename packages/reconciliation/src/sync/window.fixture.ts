import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { TemporaryFiles } from '../platform/temporary-files.ts';
import type { WireRecord } from './history.fixture.ts';
import type { SyncSettings } from './settings.ts';
import type { FundingSource } from './source.ts';
import { Stage } from './stage.ts';
import { createWindows, type ReadWindow } from './window.ts';

/** Opens a stage in its own folder. */
export async function openStage(): Promise<{
  stage: Stage;
  folder: string;
  close: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'stage-'));
  const stage = await Stage.open({ files: await TemporaryFiles.open(join(folder, 'pages')) });
  return {
    stage,
    folder,
    close: async () => {
      await stage.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export const windowSettings = { pageSize: 10, overlap: 3, maxPasses: 4 };

export function readWindow(
  stage: Stage,
  { fetchPage }: { fetchPage: FundingSource['page'] },
  day: string,
  change: Partial<Pick<SyncSettings, 'pageSize' | 'overlap' | 'maxPasses'>> = {},
): Promise<ReadWindow> {
  const settings = { ...windowSettings, ...change };
  const source = { page: fetchPage };
  return createWindows({ source, stage, settings, calendar: new Calendar('UTC') }).read(day);
}

/** Returns the lender references of a day's records in a window. */
export async function referencesOf(stage: Stage, window: ReadWindow): Promise<string[]> {
  if (window.table === undefined) return [];
  const start = Date.parse(window.day);
  const rows = await stage.rows(
    `select lender_reference_id from ${window.table}
     where counted and funded_at >= ${start} and funded_at < ${start + 86_400_000} order by 1`,
  );
  return rows.map(([reference]) => String(reference));
}

export function referencesIn(records: readonly WireRecord[]): string[] {
  return records.map(({ lenderReferenceId }) => String(lenderReferenceId)).sort();
}
