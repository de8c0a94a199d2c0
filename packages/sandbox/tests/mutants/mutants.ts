import { accessMutants } from './access.ts';
import { accountMutants } from './accounts.ts';
import { answerMutants } from './answers.ts';
import type { Mutant } from './mutant.ts';
import { contentMutants } from './content.ts';
import { linkMutants } from './links.ts';
import { requestMutants } from './requests.ts';

export const mutants: readonly Mutant[] = [
  ...contentMutants,
  ...accessMutants,
  ...answerMutants,
  ...requestMutants,
  ...linkMutants,
  ...accountMutants,
];
