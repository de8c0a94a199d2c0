import { answerJob } from '../../platform/child.ts';
import { readPlainLines } from './plain-lines.ts';

// Entry point of the process that reads plain lines, because a line may contain names in columns
// that are not mapped, and a database that has a file must not have had them in its memory.
answerJob(readPlainLines);
