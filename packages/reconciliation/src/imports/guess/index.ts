export { presetOf } from './preset-file.ts';
export { PreviewThread } from './preview-thread.ts';
