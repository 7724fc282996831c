import { extname } from 'node:path';

/** Media types of common files. Other files are sent without a type, because the agent may detect it better. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

export function mediaTypeOfFile(name: string): string | undefined {
  return MEDIA_TYPES[extname(name).toLowerCase()];
}

export function extensionOf(mediaType: string | undefined): string {
  const found = Object.entries(MEDIA_TYPES).findLast(([, type]) => type === mediaType);
  return found?.[0] ?? '.bin';
}
