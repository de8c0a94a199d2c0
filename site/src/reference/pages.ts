import type { Page } from '../markdown.ts';
import { commandPages } from './commands.ts';
import { elementPages } from './elements.ts';
import { errorPages } from './errors.ts';
import { exceptionPages } from './exceptions.ts';
import { libraryPage } from './library.ts';
import { apiPages, readApis } from './operations.ts';
import { variablesPage } from './variables.ts';

/** Returns the pages that are made from the code. */
export async function referencePages(): Promise<Page[]> {
  const [apis, commands] = await Promise.all([readApis(), commandPages()]);
  return [
    ...elementPages(),
    variablesPage(),
    libraryPage(),
    ...commands,
    ...apis.flatMap(apiPages),
    ...errorPages(apis),
    ...exceptionPages(),
  ];
}
