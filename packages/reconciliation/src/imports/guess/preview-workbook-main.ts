import { answerJob } from '../../platform/child.ts';
import { answerPreview } from './preview.ts';

// Entry point of the process that previews a workbook, within the limits of reading one.
answerJob(answerPreview);
