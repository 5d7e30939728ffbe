"""What is done with pictures and sound, by ffmpeg."""
