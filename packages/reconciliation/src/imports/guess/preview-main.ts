import { answerJobs } from '../../platform/thread.ts';
import { answerPreview } from './preview.ts';

// Entry point of the worker that previews texts. Runs separately, because a malicious file may take
// long to read.
answerJobs(answerPreview);
