import { answerJobs } from '../../platform/thread.ts';
import { answerPreview } from './preview.ts';

// Entry point of the worker that previews texts, because a malicious file takes long to read.
answerJobs(answerPreview);
