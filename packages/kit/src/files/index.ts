/* A program's files and folders. Prevents other users of the machine from redirecting or reading them. */
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
