/* Files and folders of a program: none is written where or as another user of the machine wants. */
export {
  type Identity,
  isOwn,
  ownIdentity,
  requireOwnFolder,
  strangersAccess,
  StrangersFolderError,
} from './folder.ts';
export {
  appendToFile,
  createEmptyFile,
  createFile,
  finishFile,
  isPartial,
  openToRead,
  partialOf,
  syncFolder,
  type WriteOptions,
  writeNamed,
  writeNewFile,
  writeTo,
  writeWhole,
} from './private-file.ts';
export { watchFile, type WatchedFileOptions } from './watch-file.ts';
export { watchSecrets, watchTokens } from './watch-secrets.ts';
