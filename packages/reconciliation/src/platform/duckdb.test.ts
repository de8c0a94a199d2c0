import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { openDuckDB } from './duckdb.ts';

/** Byte with which DuckDB's allocator fills memory here, in place of what a page left there. */
const left = '\xa5'.repeat(16);

/** Writes a database file whose blocks have gaps, in a process whose memory is full of that byte. */
function writeBlocks(module: string): string {
  const file = join(temporaryFolder(), 'blocks.duckdb');
  const program = `
    import { DuckDBInstance } from ${JSON.stringify(module)};
    const instance = await DuckDBInstance.create(${JSON.stringify(file)}, { threads: '1' });
    const connection = await instance.connect();
    await connection.run('create table kept (id varchar, key varchar, number bigint)');
    for (const rows of [200, 130_000]) {
      await connection.run(
        "insert into kept select 'id-' || range, 'key-' || range % 7, range from range(" + rows + ")",
      );
      await connection.run('checkpoint');
    }
    instance.closeSync();
  `;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { env: { PATH: process.env.PATH, DUCKDB_JE_MALLOC_CONF: 'junk:true' }, encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return readFileSync(file, 'latin1');
}

test.runIf(process.platform === 'linux')('writes nothing that memory contained before', () => {
  expect(writeBlocks(import.meta.resolve('@duckdb/node-api'))).toContain(left);
  expect(writeBlocks(import.meta.resolve('./duckdb.ts'))).not.toContain(left);
});

test('keeps data in memory if there is no folder for temporary files', async () => {
  const { instance, connection } = await openDuckDB({
    memoryLimit: '32MB',
    threads: 1,
    folders: [],
  });
  const large = 'create table large as select md5(range::varchar) as a from range(5_000_000)';
  await expect(connection.run(large)).rejects.toThrow('Out of Memory');
  await expect(connection.run("set temp_directory = '/tmp'")).rejects.toThrow();
  connection.closeSync();
  instance.closeSync();
});
