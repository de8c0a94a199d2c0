// First: an instance that the page contains already is made when the tag is defined.
import './prequalify.ts';

export * from '../prequalify/define.ts';
