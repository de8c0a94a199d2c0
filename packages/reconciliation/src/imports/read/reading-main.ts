import { answerJobs } from '../../platform/thread.ts';
import { readLedgerFile } from './read-file.ts';

// Entry point of the worker that reads a ledger file, so that the process can keep answering queries.
answerJobs(readLedgerFile);
