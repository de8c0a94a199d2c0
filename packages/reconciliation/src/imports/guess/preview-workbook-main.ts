import { answerJob } from '../../platform/child.ts';
import { answerPreview } from './preview.ts';

// Entry point of the process that previews a workbook, under the same limits as reading one.
answerJob(answerPreview);
