/* What a bundler for pages and apps finds in place of this package. */
import { refusal } from './page.ts';

throw new Error(refusal);
