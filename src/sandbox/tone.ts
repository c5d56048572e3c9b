const samplesPerSecond = 8000;
const seconds = 0.6;

/**
 * A sound file as a `data:` address: a tone, which stands for the speech that a service makes. Texts differ in
 * their pitch.
 */
export function toneOf(text: string): string {
  const pitch =
    300 + (Array.from(text).reduce((sum, one) => sum + (one.codePointAt(0) ?? 0), 0) % 500);
  const samples = Uint8Array.from({ length: samplesPerSecond * seconds }, (_, at) =>
    Math.round(128 + 80 * Math.sin((2 * Math.PI * pitch * at) / samplesPerSecond)),
  );
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  // Uncompressed, one channel, 8 bits.
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return `data:audio/wav;base64,${Buffer.concat([header, samples]).toString("base64")}`;
}
