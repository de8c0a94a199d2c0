import { parentPort, workerData } from 'node:worker_threads';
import { readLedgerFile, type ReadFileRequest } from './read-file.ts';

/**
 * Entry point of the worker that reads a ledger file, so that the process keeps answering queries.
 */
parentPort?.postMessage(await readLedgerFile(workerData as ReadFileRequest));
