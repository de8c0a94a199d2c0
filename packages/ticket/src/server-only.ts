/* The module that bundlers for pages and apps resolve instead of this package. */
import { refusal } from './page.ts';

// Bundlers that list a module's exports when an import is missing will then show this name.
export { refusal as serverOnly };

throw new Error(refusal);
