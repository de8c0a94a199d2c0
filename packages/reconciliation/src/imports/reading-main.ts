import { parentPort, workerData } from 'node:worker_threads';
import { readLedgerFile, type ReadFileRequest } from './read-file.ts';

/** The thread that reads a ledger file: questions are answered meanwhile. */
parentPort?.postMessage(await readLedgerFile(workerData as ReadFileRequest));
