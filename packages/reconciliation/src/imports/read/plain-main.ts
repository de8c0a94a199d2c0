import { answerJob } from '../../platform/child.ts';
import { readPlainLines } from './plain-lines.ts';

// Entry point of the process that reads plain lines. Runs separately, because unmapped columns may
// contain names, which must not be in the memory of a process with a database file.
answerJob(readPlainLines);
