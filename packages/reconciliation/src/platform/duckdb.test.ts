import { expect, test } from 'vitest';
import { openDuckDB } from './duckdb.ts';

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
