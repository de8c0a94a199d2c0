// First: an instance that the page contains already is made when the tag is defined.
import './message.ts';

export * from '../message/define.ts';
