import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { sqlTexts } from './temporary-files.ts';

export * from '@duckdb/node-api';

export interface DuckDBOptions {
  /** Path of the database file. @default an in-memory database */
  file?: string | undefined;
  memoryLimit: string;
  threads: number;
  /**
   * Folder and maximum size of the temporary files for data that exceeds the memory limit.
   * @default none: statements then fail, and no data is written to disk
   */
  spill?: { folder: string; limit: string } | undefined;
  /** The only folders that statements may read and write. */
  folders: readonly string[];
}

export interface OpenDuckDB {
  instance: DuckDBInstance;
  connection: DuckDBConnection;
}

/** Opens a database whose statements can neither load extensions nor change settings. */
export async function openDuckDB(options: DuckDBOptions): Promise<OpenDuckDB> {
  const { file = ':memory:', memoryLimit, threads, spill, folders } = options;
  const instance = await DuckDBInstance.create(file, {
    memory_limit: memoryLimit,
    threads: String(threads),
    temp_directory: spill?.folder ?? '',
    max_temp_directory_size: spill?.limit ?? '0KB',
    // Queries order rows explicitly where needed. To preserve insertion order, DuckDB would buffer
    // all rows.
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    await connection.run(`set allowed_directories = ${sqlTexts(folders)}`);
    await connection.run('set enable_external_access = false');
    await connection.run('set lock_configuration = true');
    return { instance, connection };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}
