/* What a bundler for pages and apps finds in place of this package. */
import { refusal } from './page.ts';

// Bundlers that name the exports of a module, where one is missing, then name this one.
export { refusal as serverOnly };

throw new Error(refusal);
