// Imported first: defining the tag upgrades the instances that the page already contains.
import './message.ts';

export * from '../message/define.ts';
