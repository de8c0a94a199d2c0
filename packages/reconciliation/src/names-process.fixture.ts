import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { linesIn } from './imports/compare/lines.ts';
import { answerJob } from './platform/child.ts';
import { openDuckDB } from './platform/duckdb.ts';
import { sqlText, TemporaryFiles } from './platform/temporary-files.ts';
import { DayContents } from './sync/day-content.ts';
import { type PageFile, stagePages } from './sync/record-sql.ts';
import { Stage } from './sync/stage.ts';

/** Input for the program's databases: pages of a day's fundings, and lines of an import. */
export interface DatabaseJob {
  folder: string;
  day: string;
  pages: PageFile[];
  lines: string[];
}

// Entry point of a process in which only databases read the files, as in a sync and an import.
// Keeps its files open until it is killed.
answerJob(async ({ folder, day, pages, lines }: DatabaseJob) => {
  const stage = await Stage.open({ files: await TemporaryFiles.open(join(folder, 'stage')) });
  const table = await stage.table();
  // A stage reads only its own folder, which it empties when it opens.
  const own = await Promise.all(
    pages.map(async (page) => {
      const path = stage.files.path('page', '.tsv');
      await copyFile(page.path, path);
      return { ...page, path };
    }),
  );
  await stage.rows(stagePages(table, own));
  const days = new DayContents(stage, new Calendar('UTC'));
  const window = { day, table, count: 0, passes: 0, pages: 0, overlaps: 0, proof: [] };
  const blob = await days.join(day, window, [], ({ rows }) => days.pack(rows));
  const content = join(folder, 'content.parquet');
  await writeFile(content, blob);
  const { connection } = await openDuckDB({
    file: join(folder, 'analytics.duckdb'),
    memoryLimit: '64MB',
    threads: 1,
    spill: { folder: join(folder, 'spill'), limit: '1GB' },
    folders: [folder],
  });
  await connection.run(`create table fundings as select * from read_parquet(${sqlText(content)})`);
  const sources = await Promise.all(lines.map(linesIn));
  for (const [at, source] of sources.entries()) {
    await connection.run(`create table lines_${at} as select * from ${source}`);
  }
  await connection.run('checkpoint');
  await connection.run('insert into fundings select * from fundings limit 10');
  // Exceeds the memory limit, so that data spills to disk.
  await connection.run(
    `create temp table large as select f.*, range as number from fundings f, range(60)`,
  );
  const [[count] = []] = (
    await connection.runAndReadAll('select count(*) from fundings')
  ).getRows();
  return { count: Number(count) };
});
