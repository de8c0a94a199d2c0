import { answerJobs } from '../platform/thread.ts';
import { readTable } from './read-table.ts';

// Entry point of the worker that reads a table, so that the process can still answer queries.
answerJobs(readTable);
